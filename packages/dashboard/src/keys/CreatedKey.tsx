/**
 * The page after a key was created.
 */
import { Button, Group, Stack, Title } from "@mantine/core"
import { Link } from "react-router"
import type { ApiKey } from "../api/Shapes.ts"
import { PLACES } from "../frame/places.ts"
import { useTitle } from "../frame/useTitle.ts"
import { useTarget } from "../clusterScope/useTarget.ts"
import { KeySecret } from "./KeySecret.tsx"

interface Props {
  readonly rawKey: string
  readonly apiKey: ApiKey
  readonly onAnother: () => void
}

export const CreatedKey = ({ apiKey, onAnother, rawKey }: Props) => {
  const heading = useTitle("Key created")
  const { linkTo } = useTarget()
  return (
    <Stack gap="md" maw={820}>
      <Title order={1} size="h2" ref={heading} tabIndex={-1} className="qd-text">
        {apiKey.name} was created
      </Title>
      <KeySecret apiKey={apiKey} rawKey={rawKey} />
      <Group>
        <Button component={Link} to={linkTo(PLACES.apiKeys)}>
          Done
        </Button>
        <Button variant="default" onClick={onAnother}>
          Create another
        </Button>
      </Group>
    </Stack>
  )
}
