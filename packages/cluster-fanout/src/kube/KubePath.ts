/** Builds the paths of collections and objects. */
import type { Scope } from "./KubeObject.ts"

type Query = Readonly<Record<string, string | undefined>>

/** Returns the path of a collection. **Example** `/apis/apps/v1/namespaces/shop/deployments?limit=500` */
export const collection = ({ namespace, resource }: Scope, query: Query = {}): string => {
  const base = resource.group === "" ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`
  const place = namespace === undefined ? "" : `/namespaces/${encodeURIComponent(namespace)}`
  const parameters = new URLSearchParams()
  for (const [key, value] of Object.entries(query)) if (value !== undefined) parameters.set(key, value)
  const text = parameters.toString()
  return `${base}${place}/${resource.plural}${text === "" ? "" : `?${text}`}`
}

/** Returns the path of an object. **Example** `/api/v1/namespaces/shop/pods/web-0` */
export const object = (scope: Scope, name: string): string => `${collection(scope)}/${encodeURIComponent(name)}`

/** Returns a resource's name as the server's own messages write it. **Example** `deployments.apps` */
export const words = ({ resource }: Scope): string =>
  resource.group === "" ? resource.plural : `${resource.plural}.${resource.group}`
