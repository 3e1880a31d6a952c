/**
 * What the linter holds: above all the arrows between the packages, who may import whom and what of the outside.
 *
 * `.ci/test/Arrows.test.ts` proves that every forbidden direction is refused.
 */
import { posix } from "node:path"
import { defineConfig, type OxlintOverride } from "oxlint"
import { type Wing, WINGS } from "./.ci/Wings.ts"

/** What the sources of one folder may import besides themselves. */
interface Arrow {
  /** Packages of this workspace. */
  readonly packages: ReadonlyArray<string>
  /** `modules`: by sub-path only. A barrel reaches every module of its package, and with them what browsers lack. */
  readonly reach: "all" | "modules"
  /** Packages from outside, with all of their sub-paths; `any` leaves it to the folder's package.json. */
  readonly libraries: ReadonlyArray<string> | "any"
  readonly node: boolean
}

/** What a package may import that has no line of its own yet: no other package. */
const NEWCOMER: Arrow = { packages: [], reach: "all", libraries: "any", node: true }

/** Later lines win. */
const ARROWS: Readonly<Record<string, Arrow>> = {
  "packages/*": NEWCOMER,
  "packages/targeting": { packages: [], reach: "all", libraries: ["effect"], node: false },
  "packages/sqlite-thread": { packages: [], reach: "all", libraries: ["effect"], node: true },
  "packages/keys": {
    packages: ["targeting", "sqlite-thread"],
    reach: "all",
    libraries: ["effect", "yaml"],
    node: true
  },
  "packages/cluster-fanout": {
    packages: ["targeting"],
    reach: "all",
    libraries: ["effect", "socks", "undici", "yaml"],
    node: true
  },
  "packages/cost": {
    packages: ["targeting", "sqlite-thread", "cluster-fanout"],
    reach: "all",
    libraries: ["effect", "@clickhouse/client"],
    node: true
  },
  "packages/contract": {
    packages: ["targeting", "keys", "cluster-fanout", "cost"],
    reach: "modules",
    libraries: ["effect"],
    node: false
  },
  "packages/dashboard": {
    packages: ["contract"],
    reach: "modules",
    libraries: ["@mantine", "@tanstack", "d3-scale", "d3-shape", "effect", "react", "react-dom", "react-router"],
    node: false
  },
  "packages/http-server": {
    packages: ["targeting", "keys", "cluster-fanout", "cost", "contract", "dashboard"],
    reach: "all",
    libraries: "any",
    node: true
  },
  "packages/benchmarks": {
    packages: ["targeting", "cost", "embedded-cluster", "harness", "http-server"],
    reach: "all",
    libraries: "any",
    node: true
  },
  "packages/embedded-cluster": {
    packages: [],
    reach: "all",
    libraries: ["effect", "@peculiar/x509", "reflect-metadata", "undici", "yaml"],
    node: true
  },
  harness: { packages: ["embedded-cluster"], reach: "all", libraries: "any", node: true }
}

/** Modules beside the folders that put a whole package together. */
const ENTRIES = ["index.ts", "bin.ts"]

/** Folders lie this deep below `src` at most. */
const MAX_DEPTH = 4

/** Holds for every file, tests and examples too. */
const FOREIGN_INSIDES = [
  {
    regex: String.raw`^(?:\.\./)+[^.].*/(?:src|test|dist)/`,
    message: "Import another package by its name, not by a path into its folder."
  },
  {
    regex: "^@quarterdeck/[^/]+/(?:src|dist|internal)(?:/|$)",
    message: "What is internal to a package stays in it."
  }
]

/** Patterns are read as in a .gitignore file: all is refused, then some is let in again; the last match decides. */
const allowed = ({ libraries, node, packages, reach }: Arrow): Array<string> => [
  libraries === "any" ? "@quarterdeck/**" : "*",
  "!./**",
  "!../**",
  ...packages.flatMap((name) => [...(reach === "all" ? [`!@quarterdeck/${name}`] : []), `!@quarterdeck/${name}/**`]),
  ...(libraries === "any" ? [] : libraries.flatMap((name) => [`!${name}`, `!${name}/**`])),
  ...(node ? ["!node:*", "!node:*/**"] : [])
]

type Pattern =
  | { readonly group: Array<string>; readonly message: string }
  | { readonly regex: string; readonly message: string }

const arrowPatterns = (folder: string, arrow: Arrow): ReadonlyArray<Pattern> => [
  ...FOREIGN_INSIDES,
  { group: allowed(arrow), message: `${folder} may not know this: the arrows of CONTRIBUTING.md go down only.` }
]

const refuseImports = (files: ReadonlyArray<string>, patterns: ReadonlyArray<Pattern>): OxlintOverride => ({
  files: [...files],
  rules: { "no-restricted-imports": ["error", { patterns: [...patterns] }] }
})

const arrowOf = (folder: string, arrow: Arrow): OxlintOverride =>
  refuseImports([`${folder}/src/**`], arrowPatterns(folder, arrow))

/** Matches the specifiers by which a module of a folder imports one that `path` begins with; both are relative to `src`. */
const specifierOf = (folder: string, path: string): string => {
  const specifier = posix.relative(folder, path)
  return (specifier.startsWith("..") ? specifier : `./${specifier}`).replaceAll(".", String.raw`\.`)
}

/** Returns true if only the modules directly in a folder make up its wing: the folders in it are wings, or it is `src`. */
const isFlat = (wing: string, wings: ReadonlyArray<string>): boolean =>
  wing === "." || wings.some((other) => other.startsWith(`${wing}/`))

/** Refuses imports of the `refused` wings in the modules of one depth of a wing. */
const wingOf = (
  folder: string,
  {
    depth,
    refused,
    wing,
    wings
  }: Readonly<Record<"refused" | "wings", ReadonlyArray<string>>> & {
    readonly wing: string
    readonly depth: number
  }
): OxlintOverride => {
  const directory = posix.join(wing, ...Array.from({ length: depth }, () => "*"))
  const others = refused.map(
    (other) => specifierOf(directory, posix.join(other, "x")).slice(0, -1) + (isFlat(other, wings) ? "[^/]+$" : "")
  )
  // No module imports the entries.
  const entries = ENTRIES.map((entry) => `${specifierOf(directory, entry)}$`)
  return refuseImports(
    [posix.join(folder, "src", directory, "*.{ts,tsx}")],
    [
      {
        regex: `^(?:${[...others, ...entries].join("|")})`,
        message: `${wing} may not import this: imports between the wings of ${folder} go down only.`
      },
      // Last: what one of its lines lets in again is asked of no later pattern.
      ...arrowPatterns(folder, ARROWS[folder] ?? NEWCOMER)
    ]
  )
}

const wingsOf = (folder: string, levels: ReadonlyArray<Wing>): ReadonlyArray<OxlintOverride> => [
  ...levels.flatMap((level, index) => {
    const wings = levels.flat()
    const siblings = [level].flat()
    const above = levels.slice(index + 1).flat()
    return siblings.flatMap((wing) => {
      const refused = [...siblings.filter((sibling) => sibling !== wing), ...above]
      const depths = isFlat(wing, wings) ? 1 : MAX_DEPTH
      return Array.from({ length: depths }, (_, depth) => wingOf(folder, { depth, refused, wing, wings }))
    })
  }),
  refuseImports(
    ENTRIES.map((entry) => `${folder}/src/${entry}`),
    arrowPatterns(folder, ARROWS[folder] ?? NEWCOMER)
  )
]

/** The clock, chance and the environment reach a program through Effect's services, so that a test can replace them. */
const EFFECT_SERVICES_ONLY: OxlintOverride = {
  files: ["packages/*/src/**", "harness/src/**"],
  rules: {
    "node/no-process-env": "error",
    "no-restricted-globals": [
      "error",
      { name: "setTimeout", message: "Use Effect.sleep or Effect.timeout." },
      { name: "setInterval", message: "Use Effect.repeat with a Schedule." }
    ],
    "no-restricted-properties": [
      "error",
      { object: "Date", property: "now", message: "Use Clock or DateTime." },
      { object: "performance", property: "now", message: "Use Clock." },
      { object: "Math", property: "random", message: "Use Random, or node:crypto for secrets." }
    ]
  }
}

/** By property, because the tests' `it.effect`, `it.live` and `layer` are not functions that the vitest rules know. */
const EVERY_TEST_RUNS: OxlintOverride = {
  files: ["**/*.test.ts"],
  rules: {
    "no-restricted-properties": [
      "error",
      ...["only", "skip", "skipIf", "runIf", "todo", "fails"].map((property) => ({
        property,
        message: "Every test runs, and passes."
      }))
    ]
  }
}

export default defineConfig({
  jsPlugins: ["./.ci/PlainEnglish.ts"],
  plugins: ["eslint", "typescript", "unicorn", "oxc", "import", "promise", "node", "vitest"],
  categories: { correctness: "error", suspicious: "error", perf: "error" },
  options: { typeAware: true, reportUnusedDisableDirectives: "error" },
  ignorePatterns: ["**/node_modules/**", "**/dist/**"],
  rules: {
    "no-restricted-imports": ["error", { patterns: FOREIGN_INSIDES }],
    // There for their effects alone: @peculiar/x509 looks for the first when it loads; a page has styles.
    "import/no-unassigned-import": ["error", { allow: ["reflect-metadata", "**/*.css", "**/NodeVersion.ts"] }],
    "import/no-cycle": ["error", { ignoreTypes: false }],
    "import/no-default-export": "error",
    "import/no-commonjs": "error",
    "import/no-duplicates": "error",
    "import/no-mutable-exports": "error",
    "import/first": "error",

    "typescript/no-explicit-any": "error",
    "typescript/no-non-null-assertion": "error",
    "typescript/ban-ts-comment": ["error", { "ts-expect-error": true }],
    "typescript/no-unsafe-argument": "error",
    "typescript/no-unsafe-assignment": "error",
    "typescript/no-unsafe-call": "error",
    "typescript/no-unsafe-member-access": "error",
    "typescript/no-unsafe-return": "error",
    "typescript/no-misused-promises": "error",
    "typescript/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
    "typescript/only-throw-error": "error",
    "typescript/no-deprecated": "error",
    "typescript/no-import-type-side-effects": "error",
    "typescript/no-require-imports": "error",
    "typescript/no-namespace": "error",
    "typescript/array-type": ["error", { default: "generic" }],

    "no-console": "error",
    "no-warning-comments": ["error", { terms: ["todo", "fixme", "xxx", "hack"] }],
    "max-lines": ["error", { max: 300, skipBlankLines: true, skipComments: true }],
    "max-lines-per-function": ["error", { max: 80, skipBlankLines: true, skipComments: true, IIFEs: true }],
    eqeqeq: "error",
    "no-else-return": "error",
    "no-empty": "error",
    "no-new-func": "error",
    "no-param-reassign": "error",
    "no-promise-executor-return": "error",
    "no-self-compare": "error",
    "no-useless-return": "error",
    "no-var": "error",
    "object-shorthand": "error",
    "prefer-const": "error",
    "prefer-template": "error",
    "unicorn/no-process-exit": "error",
    "unicorn/prefer-node-protocol": "error",
    "unicorn/prefer-number-properties": "error",

    // `_tag` is how Effect tells the members of a union apart.
    "no-underscore-dangle": "off",
    // A resource is released under the name that it was acquired under.
    "no-shadow": "off",
    // Control characters are looked for to take them out.
    "no-control-regex": "off",
    // One after the other is often the point.
    "no-await-in-loop": "off",
    // A copy is made on purpose: of a collection that its loop changes, or of a value that stays as it is.
    "unicorn/no-useless-spread": "off",
    "oxc/no-map-spread": "off",
    // A small function beside its only use reads better than one at the end of the file.
    "unicorn/consistent-function-scoping": "off",
    // A worker has no origin.
    "unicorn/require-post-message-target-origin": "off",
    // A switch over every member of a union returns on each path; the compiler and switch-exhaustiveness-check hold it.
    "typescript/consistent-return": "off",
    // An error type of `never` may be written out.
    "typescript/no-unnecessary-type-arguments": "off"
  },
  overrides: [
    ...Object.entries(ARROWS).map(([folder, arrow]) => arrowOf(folder, arrow)),
    ...Object.entries(WINGS).flatMap(([folder, wings]) => wingsOf(folder, wings)),
    EFFECT_SERVICES_ONLY,
    {
      files: ["packages/*/src/**", "harness/src/**", "examples/*/src/**"],
      rules: { "plain-english/comments": "error" }
    },
    // The service that reads the environment for all others.
    { files: ["packages/http-server/src/settings/Surroundings.ts"], rules: { "node/no-process-env": "off" } },
    EVERY_TEST_RUNS,
    // A suite is one function.
    { files: ["**/test/**"], rules: { "max-lines-per-function": "off" } },
    {
      // vitest reads what a fixture needs from the pattern of its first parameter; one that needs nothing has `{}` there.
      files: ["harness/src/vitest/**"],
      rules: { "no-empty-pattern": ["error", { allowObjectPatternsAsParameters: true }] }
    },
    { files: ["*.config.ts"], rules: { "import/no-default-export": "off" } },
    {
      // Programs: what they print is what they are for.
      files: [
        "packages/*/src/bin.ts",
        "harness/src/cli/harness.ts",
        "harness/src/cli/main.ts",
        "examples/*/src/main.ts",
        "docs/*.ts",
        ".ci/*.ts"
      ],
      rules: { "no-console": "off", "unicorn/no-process-exit": "off" }
    }
  ]
})
