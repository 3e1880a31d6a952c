/** What a shell takes to work with a fleet. */

/** What a shell runs to use the fleet. */
export const exportLine = (path: string): string => `export KUBECONFIG='${path.replaceAll("'", String.raw`'\''`)}'`
