/**
 * The message of an Admin's form for other callers, in place of the form.
 */
import { Alert, Anchor, Text } from "@mantine/core"
import { Link } from "react-router"
import { useCaller } from "../frame/Caller.ts"
import { PLACES } from "../frame/places.ts"
import { useTarget } from "../clusterScope/useTarget.ts"

export const AdminsOnly = () => {
  const { rule } = useCaller()
  const { linkTo } = useTarget()
  return (
    <Alert role="alert" color="yellow" title="Only an Admin can use this form">
      <Text size="sm">
        Your key has the role {rule.role}. Ask an Admin, or sign in with an Admin key. Your own key is on{" "}
        <Anchor component={Link} to={linkTo(PLACES.ownKey)} size="sm" underline="always">
          its page
        </Anchor>
        .
      </Text>
    </Alert>
  )
}
