/**
 * Decides which command lines from outside sources may run.
 *
 * An argument can make a credential plugin read a file or call another address. The list of allowed commands therefore
 * includes the arguments, word for word.
 */

/** Matches any one plain argument. */
const ANY = "*"

/**
 * A plain argument: a name, region, number or ARN. Not an option, an absolute or relative path, a file to read, or a
 * URL.
 */
const VALUE = /^[A-Za-z0-9](?!.*:\/\/)[A-Za-z0-9._:/+-]*$/

/** Splits an allowed command line at spaces. */
const wordsOf = (allowed: string): ReadonlyArray<string> => allowed.trim().split(/ +/)

/**
 * Returns whether a command line is allowed.
 *
 * **Shape** compares byte by byte. `*` in an allowed line matches one plain argument.
 *
 * **Example** `argocd-k8s-auth aws --cluster-name *` allows `--cluster-name prod` and no further argument.
 */
export const isAllowed = (
  allowed: ReadonlyArray<string>,
  command: string,
  args: ReadonlyArray<string> = []
): boolean => {
  const commandLine = [command, ...args]
  return allowed.some((line) => {
    const words = wordsOf(line)
    return (
      words.length === commandLine.length
      && words.every((word, place) => {
        const text = commandLine[place] ?? ""
        return word === ANY && place > 0 ? VALUE.test(text) : word === text
      })
    )
  })
}

/** Returns the programs that are allowed without arguments. */
export const plain = (allowed: ReadonlyArray<string>): ReadonlyArray<string> =>
  allowed.flatMap((line) => {
    const [command = "", ...args] = wordsOf(line)
    return args.length === 0 ? [command] : []
  })
