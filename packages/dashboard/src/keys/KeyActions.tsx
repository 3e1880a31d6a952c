/**
 * Menu with the actions of a key.
 */
import { Button, Menu } from "@mantine/core"
import { Link } from "react-router"
import type { ApiKey } from "../api/Shapes.ts"
import { auditOfKey, changeKeyPlace, PLACES } from "../frame/places.ts"
import { useTarget } from "../clusterScope/useTarget.ts"

export interface KeyActionProps {
  readonly apiKey: ApiKey
  readonly onRotate: (key: ApiKey) => void
  readonly onRevoke: (key: ApiKey) => void
}

export const KeyActions = ({ apiKey, onRevoke, onRotate }: KeyActionProps) => {
  const { linkTo } = useTarget()
  const { id, name, source, status } = apiKey
  const isCreated = source === "created"
  const isValid = status === "active" || status === "expiring"
  return (
    <Menu position="bottom-end" withinPortal withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button size="xs" variant="default" aria-label={`Actions of ${name}`}>
          Actions
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {isCreated && isValid ? (
          <>
            <Menu.Item onClick={() => onRotate(apiKey)}>Rotate</Menu.Item>
            <Menu.Item component={Link} to={linkTo(changeKeyPlace(id))}>
              Rename or narrow
            </Menu.Item>
          </>
        ) : undefined}
        <Menu.Item component={Link} to={linkTo(PLACES.apiKeys, { createdBy: id })}>
          Keys created by it
        </Menu.Item>
        <Menu.Item component={Link} to={linkTo(PLACES.audit, auditOfKey(id))}>
          Audit events
        </Menu.Item>
        {isCreated && status !== "revoked" ? (
          <Menu.Item color="red.9" onClick={() => onRevoke(apiKey)}>
            Revoke
          </Menu.Item>
        ) : undefined}
      </Menu.Dropdown>
    </Menu>
  )
}
