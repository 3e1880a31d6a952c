/**
 * The whole page: the sign-in page, or the frame with its pages.
 */
import { Center, Container, Loader } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { ApiFailure } from "./api/Client.ts"
import { sessionQuery } from "./api/Session.ts"
import { FailureAlert } from "./feedback/FailureAlert.tsx"
import { SignInPage } from "./signin/SignInPage.tsx"
import { Pages } from "./Pages.tsx"
import { CallerContext } from "./frame/Caller.ts"
import { Shell } from "./frame/Shell.tsx"

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
        <Pages />
      </Shell>
    </CallerContext>
  )
}
