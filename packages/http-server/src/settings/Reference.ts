/**
 * The reference of the settings, as docs/reference/settings.md holds it.
 */
import { type Row, rows } from "./Table.ts"
import { FOREIGN_VARIABLES, variableOf } from "./Variables.ts"

/**
 * Renders the page from the table.
 */
export const render = (): string =>
  `# Settings of the server

<!-- Made from packages/http-server/src/settings/Table.ts; change it there. -->

\`quarterdeck serve\` reads each setting from a flag, else from the environment, else from the YAML file that
\`--config\` names, else takes the default. It refuses to start when a source holds a setting that does not exist or a
value that is not allowed, even one that a stronger source overrides, and says in one line each what is wrong and where.

| Setting | Flag | Environment | Default | Allowed | What it does |
|---|---|---|---|---|---|
${rows.map(renderRow).join("\n")}

A relative path counts from the directory that the server was started in.

## The YAML file

One document of plain data in YAML 1.2, each value of its own type: \`port: "80"\` is text, not a port. Duplicate keys,
merge keys, anchors, aliases, tags and directives are refused. An entry without a value counts as left out where the
setting has no default. With every default written out:

\`\`\`yaml
${yaml()}\`\`\`

## Other variables

${FOREIGN_VARIABLES.map(code).join(", ")} belong to the client commands and to the tests. Any other variable that starts
with \`QUARTERDECK_\` is refused, but for those that Kubernetes adds to a pod for a Service (\`QUARTERDECK_PORT=tcp://…\`,
\`QUARTERDECK_SERVICE_HOST\` and the like), which are passed over.
`

/**
 * Renders a settings file that holds every setting with its default.
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

/** What each setting does, by its path, in the order of the reference. */
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
