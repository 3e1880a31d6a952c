/** Returns the shell command that selects the fleet's kubeconfig. */
export const exportLine = (path: string): string => `export KUBECONFIG='${path.replaceAll("'", String.raw`'\''`)}'`
