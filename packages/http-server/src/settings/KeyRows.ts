/**
 * The settings of API keys.
 */
import * as Kind from "./Kind.ts"
import { optional, withDefault } from "./Row.ts"

export const keys = {
  keysFile: optional({
    path: "keys.file",
    flag: "keys-file",
    kind: Kind.paths,
    description: "YAML lists of API keys made at deploy time, read as one and watched."
  }),
  bootstrapKeyFile: optional({
    path: "keys.bootstrapFile",
    flag: "bootstrap-key-file",
    kind: Kind.path,
    description: "Where to write a first, unscoped Admin key (mode 0600) when no key exists at start."
  }),
  keyMaxLifetime: withDefault("10y", {
    path: "keys.maxLifetime",
    flag: "key-max-lifetime",
    kind: Kind.lifetime,
    description: "Longest lifetime that a key may be made with: a number and y (365 days) or d."
  }),
  keyMaxLifetimeOfPeople: optional({
    path: "keys.maxLifetimeOfPeople",
    flag: "key-max-lifetime-of-people",
    kind: Kind.lifetime,
    description:
      "Longest lifetime of keys that people make who signed in at the OpenID Connect provider; such a key must then be given an end. Unset: keys.maxLifetime alone counts."
  }),
  keyMaxPerMaker: withDefault("1000", {
    path: "keys.maxPerMaker",
    flag: "key-max-per-maker",
    kind: Kind.wholeNumber(1, 1_000_000),
    description:
      "Valid keys that one key or person may have made. A rotated key counts for the maker of the key that it replaces."
  })
}
