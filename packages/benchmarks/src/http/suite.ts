/**
 * What the service claims of reads over HTTP: how near they are to a server that does nothing but write the same bytes.
 */
import type { Suite } from "../claim/Suite.ts"
import { clusters, pages } from "./reads.ts"

export const http: Suite = {
  name: "http",
  parts: () => [
    { name: "clusters", measure: clusters },
    { name: "pages", measure: pages }
  ]
}
