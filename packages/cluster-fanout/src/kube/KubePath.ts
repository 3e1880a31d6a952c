/** Writes the paths of collections and objects. */
import type { Scope } from "./KubeObject.ts"

type Query = Readonly<Record<string, string | undefined>>

/** Writes the path of a collection. **Example** `/apis/apps/v1/namespaces/shop/deployments?limit=500` */
export const collection = ({ namespace, resource }: Scope, query: Query = {}): string => {
  const base = resource.group === "" ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`
  const place = namespace === undefined ? "" : `/namespaces/${encodeURIComponent(namespace)}`
  const asked = new URLSearchParams()
  for (const [key, value] of Object.entries(query)) if (value !== undefined) asked.set(key, value)
  const text = asked.toString()
  return `${base}${place}/${resource.plural}${text === "" ? "" : `?${text}`}`
}

/** Writes the path of an object. **Example** `/api/v1/namespaces/shop/pods/web-0` */
export const object = (scope: Scope, name: string): string => `${collection(scope)}/${encodeURIComponent(name)}`

/** The resource as the server's own messages name it. **Example** `deployments.apps` */
export const words = ({ resource }: Scope): string =>
  resource.group === "" ? resource.plural : `${resource.plural}.${resource.group}`
