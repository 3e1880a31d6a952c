/**
 * Renders docs/reference/settings.md from the table of settings.
 */
import { type Row, rows } from "./Table.ts"
import { FOREIGN_VARIABLES, variableOf } from "./Variables.ts"

export const render = (): string =>
  `# Settings of the server

<!-- Made from packages/http-server/src/settings/Table.ts; change it there. -->

\`quarterdeck serve\` reads each setting from the first source that sets it: the flag, the environment variable, the YAML
file given by \`--config\`, the default. The server does not start if any source has an unknown setting or an invalid
value, even if another source overrides that value. It prints one line per problem, with its place.

| Setting | Flag | Environment | Default | Allowed | What it does |
|---|---|---|---|---|---|
${rows.map(renderRow).join("\n")}

A relative path starts at the working directory of the server.

## The YAML file

The file is one document of plain data in YAML 1.2. Each value must have its own type: \`port: "80"\` is text, not a
port. The server refuses duplicate keys, merge keys, anchors, aliases, tags and directives. An entry without a value
counts as missing if the setting has no default. This file lists every setting with its default:

\`\`\`yaml
${yaml()}\`\`\`

## Other variables

The client commands and the tests use ${FOREIGN_VARIABLES.map(code).join(", ")}. The server refuses any other variable
that starts with \`QUARTERDECK_\`. It ignores the variables that Kubernetes adds to a pod for a Service, such as
\`QUARTERDECK_PORT=tcp://…\` and \`QUARTERDECK_SERVICE_HOST\`.
`

/**
 * Renders a settings file with the default of every setting.
 */
export const yaml = (): string => {
  const lines: Array<string> = []
  let open: ReadonlyArray<string> = []
  for (const row of rows) {
    const steps = row.path.split(".")
    const sections = steps.slice(0, -1)
    const shared = sections.findIndex((section, depth) => open[depth] !== section)
    const from = shared < 0 ? sections.length : shared
    for (const [depth, section] of sections.entries()) {
      if (depth >= from) lines.push(`${"  ".repeat(depth)}${section}:`)
    }
    open = sections
    const value = row.initialText === undefined ? "" : ` ${row.initialText}`
    lines.push(`${"  ".repeat(sections.length)}${steps.at(-1)}:${value}`)
  }
  return `${lines.join("\n")}\n`
}

/** The description of each setting by its path, in the order of the reference. */
export const descriptions: ReadonlyMap<string, string> = new Map(
  rows.map(({ description, path }) => [path, description])
)

const code = (text: string): string => `\`${text}\``

const renderRow = (row: Row<unknown>): string => {
  const unit = row.unit === undefined ? "" : ` ${row.unit}`
  const cells = [
    code(row.path),
    code(`--${row.flag}`),
    code(variableOf(row)),
    row.initialText === undefined ? "none" : `${code(row.initialText)}${unit}`,
    row.kind.allowed,
    row.description
  ]
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("*", "\\*")).join(" | ")} |`
}
