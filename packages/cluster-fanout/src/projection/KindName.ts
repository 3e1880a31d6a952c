/**
 * The names of kinds and workloads as rows, paths and ids have them.
 */

/** A kind, and for a custom kind with a built-in name its group behind a dot. **Example** `Job.batch.volcano.sh` */
export const KIND = /^[A-Z][A-Za-z0-9]{0,62}(?:\.[a-z0-9][a-z0-9.-]{0,252})?$/u

/** A kind and a name joined by a slash. **Example** `Deployment/web` */
export const PATH = /^[A-Z][A-Za-z0-9]{0,62}(?:\.[a-z0-9][a-z0-9.-]{0,252})?\/[^/]{1,253}$/u

/** No object's name has a slash, which parts kinds from names elsewhere, or a control character. */
const NAME = /^[^/\p{Cc}]{1,253}$/u

/**
 * Tells whether an owner can be a workload.
 *
 * **Shape** the API server does not check the kind and the name in an owner reference. A kind outside the grammar, such as
 * `__idle__`, or a name that reads as another row's is refused.
 */
export const isWorkload = ({ kind, name }: { readonly kind: string; readonly name: string }): boolean =>
  KIND.test(kind) && NAME.test(name)
