/**
 * Says which command lines may be run that others than the operator of the machine wrote.
 *
 * An argument can make a credential plugin read a file, or talk to another address: so not the program alone is allowed, but its
 * arguments too, word for word.
 */

/** Stands for one argument. */
const ANY = "*"

/** A name, a region, a number, an ARN: no option, no path from the root or from here, no file to be read, no URL. */
const VALUE = /^[A-Za-z0-9](?!.*:\/\/)[A-Za-z0-9._:/+-]*$/

/** The words of an allowed command line: they are parted by spaces. */
const wordsOf = (allowed: string): ReadonlyArray<string> => allowed.trim().split(/ +/)

/**
 * Tells whether a command line is allowed.
 *
 * **Shape** byte by byte; `*` in an allowed one stands for one argument that is a plain value.
 *
 * **Example** `argocd-k8s-auth aws --cluster-name *` allows `--cluster-name prod`, and nothing behind it
 */
export const isAllowed = (
  allowed: ReadonlyArray<string>,
  command: string,
  args: ReadonlyArray<string> = []
): boolean => {
  const given = [command, ...args]
  return allowed.some((line) => {
    const words = wordsOf(line)
    return (
      words.length === given.length
      && words.every((word, place) => {
        const text = given[place] ?? ""
        return word === ANY && place > 0 ? VALUE.test(text) : word === text
      })
    )
  })
}

/** Gives the programs that are allowed without arguments. */
export const plain = (allowed: ReadonlyArray<string>): ReadonlyArray<string> =>
  allowed.flatMap((line) => {
    const [command = "", ...args] = wordsOf(line)
    return args.length === 0 ? [command] : []
  })
