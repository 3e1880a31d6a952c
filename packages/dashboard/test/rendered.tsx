/**
 * Pages of costs as HTML, made of the replies that they would read.
 */
import { MantineProvider } from "@mantine/core"
import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { renderToStaticMarkup } from "react-dom/server"
import { MemoryRouter } from "react-router"
import { type CostGroups, type WorkloadCosts, workloadCostsQuery } from "../src/api/CostQueries.ts"
import type { ApiKey } from "../src/api/Shapes.ts"
import { CallerContext } from "../src/frame/Caller.ts"
import { CostFigures } from "../src/cost/CostFigures.tsx"
import { SavingsPage } from "../src/cost/SavingsPage.tsx"
import * as ClusterTarget from "../src/api/ClusterTarget.ts"

/** Rows that the page of savings reads. */
const READ = 1_000

/** Renders the figures above the table of costs. */
export const costFigures = (report: CostGroups): string =>
  renderToStaticMarkup(
    <MantineProvider>
      <CostFigures report={report} onExplain={() => undefined} />
    </MantineProvider>
  )

/** Renders the page of savings for the last 7 days. */
export const savingsPage = (report: WorkloadCosts, caller: ApiKey): string => {
  const queries = new QueryClient()
  const target = ClusterTarget.parse(new URLSearchParams())
  queries.setQueryData(workloadCostsQuery(target, { range: "7d" }, READ).queryKey, report)
  return renderToStaticMarkup(
    <MantineProvider>
      <QueryClientProvider client={queries}>
        <MemoryRouter>
          <CallerContext value={caller}>
            <SavingsPage />
          </CallerContext>
        </MemoryRouter>
      </QueryClientProvider>
    </MantineProvider>
  )
}
