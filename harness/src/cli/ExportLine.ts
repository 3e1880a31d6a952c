/**
 * What a shell takes to work with a fleet.
 *
 * @since 0.1.0
 */

/** What a shell runs to use the fleet. */
export const exportLine = (path: string): string => `export KUBECONFIG='${path.replaceAll("'", String.raw`'\''`)}'`
