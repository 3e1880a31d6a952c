/**
 * Encodes the rates, storage classes and observed spans of an hour as JSON, and decodes them.
 */
import { Schema } from "effect"
import type { Hour } from "../../hour/Hour.ts"
import { RateClassJson } from "../../hour/RateClassJson.ts"

type Charges = Pick<Hour, "rates" | "storage" | "seen">
type Quantities = Pick<Hour["columns"], "storageKibSeconds">

/** **Shape** A share refers to its storage class by index. Without an amount, it covers all storage of its series. */
const Written = Schema.fromJsonString(
  Schema.Struct({
    rates: RateClassJson,
    storage: Schema.optionalKey(
      Schema.Struct({
        classes: Schema.Array(Schema.String),
        shares: Schema.Array(
          Schema.Union([Schema.Tuple([Schema.Int, Schema.Int]), Schema.Tuple([Schema.Int, Schema.Int, Schema.Finite])])
        )
      })
    ),
    seen: Schema.optionalKey(Schema.Array(Schema.Int))
  })
)

const encode = Schema.encodeSync(Written)
const decode = Schema.decodeSync(Written)

export const print = ({ rates, seen, storage }: Charges, { storageKibSeconds }: Quantities): string => {
  const when = seen === undefined ? {} : { seen }
  if (storage === undefined) return encode({ rates, ...when })
  const classes = [...new Set(storage.map(({ storageClass }) => storageClass))]
  const placeOf = new Map(classes.map((storageClass, place) => [storageClass, place]))
  const shares = storage.map(
    ({ kibSeconds, series, storageClass }): readonly [number, number] | readonly [number, number, number] => {
      const place = placeOf.get(storageClass) ?? 0
      return kibSeconds === storageKibSeconds[series] ? [place, series] : [place, series, kibSeconds]
    }
  )
  return encode({ rates, storage: { classes, shares }, ...when })
}

/** Decodes the output of {@link print}. Throws on other text; the checksum of its blob is checked before. */
export const parse = (text: string, { storageKibSeconds }: Quantities): Charges => {
  const { storage, ...rest } = decode(text)
  if (storage === undefined) return rest
  const { classes, shares } = storage
  return {
    ...rest,
    storage: shares.map(([place, series, kibSeconds = storageKibSeconds[series] ?? 0]) => ({
      series,
      kibSeconds,
      storageClass: classes[place] ?? ""
    }))
  }
}
