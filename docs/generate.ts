/**
 * Writes the pages that are generated from source code, or checks that they are up to date: two pages of docs/reference,
 * and the README and the version of the Helm chart.
 *
 * Run `pnpm docs:generate` after a change of the catalogue of problems, of the settings or of the chart's values; `pnpm
 * docs:check` fails when a page is stale.
 */
import { catalogue, codes } from "@quarterdeck/contract/Problem"
import * as SettingsReference from "@quarterdeck/http-server/settings/Reference"
import { readFile, writeFile } from "node:fs/promises"
import * as HelmChart from "./helmChart.ts"

const errors = (): string => `# Problems

<!-- Made from packages/contract/src/Problem.ts; change it there. -->

Every reply that is not a success is \`application/problem+json\` (RFC 9457):

\`\`\`json
{
  "type": "urn:quarterdeck:problem:cluster_forbidden",
  "title": "Cluster forbidden",
  "status": 403,
  "code": "cluster_forbidden",
  "detail": "cluster prod is outside the key's scope",
  "requestId": "6f1c1f0e-6a0b-4a8f-9d0e-0b1f2c3d4e5f"
}
\`\`\`

Programs read \`code\`; \`detail\` is for people. \`field\` names the invalid header, parameter or member of the body, if there
is one. \`clusters\` has the [coverage](http.md#coverage) of each addressed cluster if none of them answered.

| Status | Code | When, and what to do |
|---|---|---|
${codes.map((code) => `| ${catalogue[code].status} | \`${code}\` | ${catalogue[code].meaning} |`).join("\n")}
`

const pages = new Map([
  ["docs/reference/errors.md", errors()],
  ["docs/reference/settings.md", SettingsReference.render()],
  ...(await HelmChart.pages())
])

const isCheck = process.argv.includes("--check")
for (const [path, expected] of pages) {
  if (!isCheck) {
    await writeFile(path, expected)
    continue
  }
  const present = await readFile(path, "utf8").catch(() => "")
  if (present !== expected) {
    process.stderr.write(`${path} is stale: run pnpm docs:generate\n`)
    process.exitCode = 1
  }
}
