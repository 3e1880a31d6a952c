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
    description:
      "YAML files of API keys that the deployment defines. The server merges the files and reloads them when they change."
  }),
  bootstrapKeyFile: optional({
    path: "keys.bootstrapFile",
    flag: "bootstrap-key-file",
    kind: Kind.path,
    description: "File to write a first, unscoped Admin key to (mode 0600), if no key exists at startup."
  }),
  keyMaxLifetime: withDefault("10y", {
    path: "keys.maxLifetime",
    flag: "key-max-lifetime",
    kind: Kind.lifetime,
    description: "Longest lifetime of a new key: a number and y (365 days) or d (days)."
  }),
  keyMaxLifetimeOfPeople: optional({
    path: "keys.maxLifetimeOfPeople",
    flag: "key-max-lifetime-of-people",
    kind: Kind.lifetime,
    description:
      "Longest lifetime of keys created by people signed in through OpenID Connect. When set, such keys must have an expiry. Unset: only keys.maxLifetime applies."
  }),
  keyMaxPerMaker: withDefault("1000", {
    path: "keys.maxPerMaker",
    flag: "key-max-per-maker",
    kind: Kind.wholeNumber(1, 1_000_000),
    description:
      "Maximum valid keys that one key or person may have created. A rotated key counts for the creator of the key that it replaces."
  })
}
