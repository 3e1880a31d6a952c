/**
 * The whole page: signed out, or signed in with its places.
 */
import { Center, Container, Loader } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { Navigate, Route, Routes } from "react-router"
import { ApiFailure } from "../api/Client.ts"
import { sessionQuery } from "../api/Session.ts"
import { FailureAlert } from "../feedback/FailureAlert.tsx"
import { ApiKeysPage } from "../keys/ApiKeysPage.tsx"
import { CreateKeyPage } from "../keys/CreateKeyPage.tsx"
import { OwnKeyPage } from "../keys/OwnKeyPage.tsx"
import { SignInPage } from "../signin/SignInPage.tsx"
import { CallerContext } from "./Caller.ts"
import { PLACES } from "./places.ts"
import { Shell } from "./Shell.tsx"

export const App = () => {
  const session = useQuery(sessionQuery)
  if (session.data === undefined) {
    if (!(session.error instanceof ApiFailure)) {
      return (
        <Center h="100vh">
          <Loader aria-label="Loading" />
        </Center>
      )
    }
    return (
      <Container size="xs" py="xl" component="main">
        <FailureAlert failure={session.error} onRetry={() => void session.refetch()} />
      </Container>
    )
  }
  if (session.data._tag === "SignedOut") return <SignInPage reason={session.data.reason} />
  const { apiKey } = session.data
  return (
    <CallerContext value={apiKey}>
      <Shell isOffline={session.isError}>
        <Routes>
          <Route path={PLACES.apiKeys} element={<ApiKeysPage />} />
          <Route path={PLACES.createKey} element={<CreateKeyPage />} />
          <Route path={PLACES.ownKey} element={<OwnKeyPage />} />
          <Route
            path="*"
            element={<Navigate to={apiKey.rule.role === "Admin" ? PLACES.apiKeys : PLACES.ownKey} replace />}
          />
        </Routes>
      </Shell>
    </CallerContext>
  )
}
