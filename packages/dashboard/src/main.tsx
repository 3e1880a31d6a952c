/**
 * Renders the page.
 */
import "@mantine/core/styles.css"
import "./frame/page.css"
import "./cost/cost.css"
import { MantineProvider } from "@mantine/core"
import { QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { HashRouter } from "react-router"
import { ApiFailure } from "./api/Client.ts"
import { noteFailure } from "./api/Session.ts"
import { App } from "./App.tsx"
import { colors, nonce, theme } from "./frame/theme.ts"

/** Retries twice if the server did not answer or failed. The server would refuse any other request again. */
const retry = (failures: number, error: Error): boolean =>
  failures < 2 && error instanceof ApiFailure && (error.status === undefined || error.status >= 500)

const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: (error) => noteFailure(queries, error) }),
  defaultOptions: { queries: { retry, staleTime: 2_000 } }
})

const root = document.querySelector("#root")
if (root === null) throw new Error("the page has no root")

createRoot(root).render(
  <StrictMode>
    <MantineProvider theme={theme} cssVariablesResolver={colors} defaultColorScheme="auto" getStyleNonce={() => nonce}>
      <QueryClientProvider client={queries}>
        {/* Fields show what the address holds, so navigation must be synchronous. */}
        <HashRouter useTransitions={false}>
          <App />
        </HashRouter>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>
)
