/** Works out what a page reckons, as a pocket calculator does: + - x / ( ) and round, floor. */

interface Reading {
  readonly tokens: ReadonlyArray<string>
  place: number
}

export const workedOut = (text: string): number => {
  const reading: Reading = { tokens: text.match(/[\d.]+|[-+x/()]|round|floor|\S/g) ?? [], place: 0 }
  const value = sumOf(reading)
  if (reading.place < reading.tokens.length) throw new Error(`cannot be worked out: ${text}`)
  return value
}

const taken = (reading: Reading, ...tokens: ReadonlyArray<string>): string | undefined => {
  const token = reading.tokens[reading.place]
  if (token === undefined || !tokens.includes(token)) return undefined
  reading.place += 1
  return token
}

const sumOf = (reading: Reading): number => {
  let sum = productOf(reading)
  for (let sign = taken(reading, "+", "-"); sign !== undefined; sign = taken(reading, "+", "-")) {
    sum += productOf(reading) * (sign === "+" ? 1 : -1)
  }
  return sum
}

const productOf = (reading: Reading): number => {
  let product = valueOf(reading)
  for (let sign = taken(reading, "x", "/"); sign !== undefined; sign = taken(reading, "x", "/")) {
    const next = valueOf(reading)
    product = sign === "x" ? product * next : product / next
  }
  return product
}

const valueOf = (reading: Reading): number => {
  const rounding = taken(reading, "round", "floor")
  if (taken(reading, "(") !== undefined) {
    const value = sumOf(reading)
    if (taken(reading, ")") === undefined) throw new Error("a bracket does not end")
    if (rounding === undefined) return value
    return rounding === "round" ? Math.round(value) : Math.floor(value)
  }
  const token = reading.tokens[reading.place]
  const value = Number(token)
  if (token === undefined || Number.isNaN(value)) throw new Error(`no number: ${token ?? "nothing"}`)
  reading.place += 1
  return value
}
