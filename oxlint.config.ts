/**
 * Configuration of the linter, including the arrows: the imports that each package and folder may make.
 *
 * `.ci/test/Arrows.test.ts` tests that every forbidden direction is refused.
 */
import { posix } from "node:path"
import { defineConfig, type OxlintOverride } from "oxlint"
import { type Wing, WINGS } from "./.ci/Wings.ts"

/** The imports that the sources of one folder may make besides their own modules. */
interface Arrow {
  /** Packages of this workspace. */
  readonly packages: ReadonlyArray<string>
  /** `modules`: by sub-path only. A barrel imports every module of its package, also modules that browsers cannot run. */
  readonly reach: "all" | "modules"
  /** External packages, with all of their sub-paths. `any`: the folder's package.json decides. */
  readonly libraries: ReadonlyArray<string> | "any"
  readonly node: boolean
}

/** The arrow of a package without an entry in `ARROWS`: it may not import another package. */
const NEWCOMER: Arrow = { packages: [], reach: "all", libraries: "any", node: true }

/** The arrows by folder. Later entries win. */
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

/** Modules directly in `src` that assemble the package. */
const ENTRIES = ["index.ts", "bin.ts"]

/** Maximum depth of folders below `src`. */
const MAX_DEPTH = 4

/** Imports that are forbidden in every file, including tests and examples. */
const FOREIGN_INSIDES = [
  {
    regex: String.raw`^(?:\.\./)+[^.].*/(?:src|test|dist)/`,
    message: "Import another package by its name, not by a path into its folder."
  },
  {
    regex: "^@quarterdeck/[^/]+/(?:src|dist|internal)(?:/|$)",
    message: "Do not import the internal modules of another package."
  }
]

/** Patterns work as in a .gitignore file: the first refuses everything, later ones allow exceptions; the last match wins. */
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
  { group: allowed(arrow), message: `${folder} may not import this: imports go down only, see CONTRIBUTING.md.` }
]

const refuseImports = (files: ReadonlyArray<string>, patterns: ReadonlyArray<Pattern>): OxlintOverride => ({
  files: [...files],
  rules: { "no-restricted-imports": ["error", { patterns: [...patterns] }] }
})

const arrowOf = (folder: string, arrow: Arrow): OxlintOverride =>
  refuseImports([`${folder}/src/**`], arrowPatterns(folder, arrow))

/** Builds a pattern for imports, by a module in `folder`, of modules below `path`. Both are relative to `src`. */
const specifierOf = (folder: string, path: string): string => {
  const specifier = posix.relative(folder, path)
  return (specifier.startsWith("..") ? specifier : `./${specifier}`).replaceAll(".", String.raw`\.`)
}

/** Checks whether a wing consists of the modules directly in its folder: it contains other wings, or is `src` itself. */
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
      // Last, since an import that these patterns allow is not checked against later patterns.
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

/** Sources use Effect's services for time, randomness and the environment, so that tests can replace them. */
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

/** Forbids properties such as `only`, since the vitest rules do not know `it.effect`, `it.live` and `layer`. */
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
    // Imported for their side effects: @peculiar/x509 needs reflect-metadata at load time; pages have styles.
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

    // Effect discriminates unions by `_tag`.
    "no-underscore-dangle": "off",
    // A resource has the same name where it is acquired and where it is released.
    "no-shadow": "off",
    // Some patterns match control characters in order to remove them.
    "no-control-regex": "off",
    // Sequential execution is often intended.
    "no-await-in-loop": "off",
    // Copies are intended: of a collection that the loop changes, or of a value that must not change.
    "unicorn/no-useless-spread": "off",
    "oxc/no-map-spread": "off",
    // A small function reads better next to its only use.
    "unicorn/consistent-function-scoping": "off",
    // A worker has no origin.
    "unicorn/require-post-message-target-origin": "off",
    // A switch over all members of a union returns on each path; the compiler and switch-exhaustiveness-check enforce it.
    "typescript/consistent-return": "off",
    // An error type of `never` may be written explicitly.
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
    // This service reads the environment for all other modules. The program's entry finds the compile cache before it loads them.
    {
      files: ["packages/http-server/src/settings/Surroundings.ts", "packages/http-server/src/bin.ts"],
      rules: { "node/no-process-env": "off" }
    },
    EVERY_TEST_RUNS,
    // A test suite is a single function.
    { files: ["**/test/**"], rules: { "max-lines-per-function": "off" } },
    {
      // vitest reads the needs of a fixture from the pattern of its first parameter, which is `{}` if there are none.
      files: ["harness/src/vitest/**"],
      rules: { "no-empty-pattern": ["error", { allowObjectPatternsAsParameters: true }] }
    },
    { files: ["*.config.ts"], rules: { "import/no-default-export": "off" } },
    {
      // Programs print to the console.
      files: ["packages/*/src/bin.ts", "harness/src/cli/harness.ts", "examples/*/src/main.ts", "docs/*.ts", ".ci/*.ts"],
      rules: { "no-console": "off", "unicorn/no-process-exit": "off" }
    }
  ]
})
