/** Lists that wait for the watch cache of the server. */

/**
 * A list that is answered only once the server's cache of the kind is filled; until then it is 429.
 *
 * **Source** apiserver, `shouldDelegateListOnNotReadyCache`: a list with a limit and without selectors goes past the cache,
 * so that it would be answered before others are.
 */
export const THROUGH_CACHE = "fieldSelector=metadata.name%3Dnone"
