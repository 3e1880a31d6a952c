/** The ways of configuring the chart that the docs show: each heading's first block of values. */
import { readFileSync } from "node:fs"

const PAGE = new URL("../../../docs/tasks/install-by-helm.md", import.meta.url)

/** What the docs show below a heading. **Shape** `release` is the heading as a name of Kubernetes. */
export interface Way {
  readonly title: string
  readonly release: string
  readonly values: string
}

const blockOf = (section: string): ReadonlyArray<Way> => {
  const title = section.slice(0, section.indexOf("\n"))
  const [, values] = /```yaml\n([^`]*)```/.exec(section) ?? []
  const release = title.toLowerCase().replaceAll(/[^a-z]+/g, "-")
  return values === undefined ? [] : [{ title, release, values }]
}

/** **Shape** at least one: a page that lost its blocks fails every test that asks. */
export const ways: ReadonlyArray<Way> = readFileSync(PAGE, "utf8").split(/^## /m).slice(1).flatMap(blockOf)

/** The Secrets that the docs say to make, each with the entry that it holds. */
export const secrets = Array.from(
  readFileSync(PAGE, "utf8").matchAll(/create secret generic (\S+) --from-file=([^=\s]+)=/g),
  ([, name = "", entry = ""]) => ({ name, entry })
)

/** TLS of the server's own, and all that must know of it. */
export const TLS_EVERYWHERE = {
  tls: { secretName: "tls" },
  ingress: { enabled: true },
  httpRoute: { enabled: true, parentRefs: [{ name: "public" }] },
  serviceMonitor: { enabled: true, secretName: "metrics", tlsConfig: { serverName: "quarterdeck" } }
}
export const tlsEverywhere = JSON.stringify(TLS_EVERYWHERE)
