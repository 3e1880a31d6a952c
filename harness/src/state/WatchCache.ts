/**
 * Query of a list that the server answers from its watch cache: with 429 until the cache of the kind is filled.
 *
 * **Source** apiserver, `shouldDelegateListOnNotReadyCache`: a list with a limit and without selectors bypasses the
 * cache.
 */
export const THROUGH_CACHE = "fieldSelector=metadata.name%3Dnone"
