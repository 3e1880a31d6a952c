/** Assigns IP addresses to pods and nodes without one. */

const FIRST_POD = [10, 128] as const
const FIRST_NODE = [10, 64] as const
const SIZE = 256

export interface Addresses {
  readonly nextPod: () => string
  readonly nextNode: () => string
  /** Records an address in use, so that it is not assigned again. */
  readonly reserve: (address: string) => void
}

/**
 * Assigns addresses in ascending order: pods from 10.128.0.1 on, nodes from 10.64.0.1 on.
 *
 * **Limits** never reuses an address while the process runs. There are 8 million addresses for pods.
 */
export const make = (): Addresses => {
  let pods = 0
  let nodes = 0
  return {
    nextPod: () => print(FIRST_POD, ++pods),
    nextNode: () => print(FIRST_NODE, ++nodes),
    reserve: (address) => {
      const [first = 0, second = 0, third = 0, fourth = 0] = address.split(".").map(Number)
      const number = third * SIZE + fourth
      if (first === FIRST_POD[0] && second >= FIRST_POD[1]) {
        pods = Math.max(pods, (second - FIRST_POD[1]) * SIZE * SIZE + number)
      } else if (first === FIRST_NODE[0] && second >= FIRST_NODE[1]) {
        nodes = Math.max(nodes, (second - FIRST_NODE[1]) * SIZE * SIZE + number)
      }
    }
  }
}

const print = ([first, second]: readonly [number, number], number: number): string =>
  `${first}.${second + Math.floor(number / SIZE / SIZE)}.${Math.floor(number / SIZE) % SIZE}.${number % SIZE}`
