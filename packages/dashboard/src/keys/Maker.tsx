/**
 * The name of the key that created another one, with a link to its page.
 */
import { Anchor } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { Link } from "react-router"
import * as IdentityProvider from "../api/IdentityProvider.ts"
import { makerQuery } from "../api/KeyQueries.ts"
import type { ApiKey } from "../api/Shapes.ts"
import { keyPlace } from "../frame/places.ts"
import { useTarget } from "../clusterScope/useTarget.ts"

interface Props {
  readonly id: string
  /** The creating key, if it is already loaded. */
  readonly known?: ApiKey | undefined
}

/** **Shape** shows the id of a person, and of a key that the caller may not see. */
export const Maker = ({ id, known }: Props) => {
  const { linkTo } = useTarget()
  const isRead = known === undefined && !IdentityProvider.isPerson({ id })
  const maker = useQuery({ ...makerQuery(id), enabled: isRead })
  const name = known?.name ?? maker.data?.name
  return name === undefined ? (
    <>{id}</>
  ) : (
    <Anchor component={Link} to={linkTo(keyPlace(id))} underline="always" fz="inherit">
      {name}
    </Anchor>
  )
}
