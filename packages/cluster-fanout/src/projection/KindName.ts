/**
 * Grammar of kinds and workload names in rows, paths and ids.
 */

/** A kind. A custom kind with a built-in name is followed by a dot and its group. **Example** `Job.batch.volcano.sh` */
export const KIND = /^[A-Z][A-Za-z0-9]{0,62}(?:\.[a-z0-9][a-z0-9.-]{0,252})?$/u

/** A kind and a name joined by a slash. **Example** `Deployment/web` */
export const PATH = /^[A-Z][A-Za-z0-9]{0,62}(?:\.[a-z0-9][a-z0-9.-]{0,252})?\/[^/]{1,253}$/u

/** A name without slashes, which separate kinds from names, and without control characters. */
const NAME = /^[^/\p{Cc}]{1,253}$/u

/**
 * Returns whether an owner can be a workload.
 *
 * **Shape** the API server does not validate the kind and the name in an owner reference. Rejects kinds outside the
 * grammar, such as `__idle__`, and names that could be read as the name of another row.
 */
export const isWorkload = ({ kind, name }: { readonly kind: string; readonly name: string }): boolean =>
  KIND.test(kind) && NAME.test(name)
