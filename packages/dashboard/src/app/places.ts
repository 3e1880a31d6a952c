/** Where the pages stand, behind the `#` of the address: no server and no prefix need know them. */
export const PLACES = {
  apiKeys: "/users/api-keys",
  createKey: "/users/api-keys/new",
  ownKey: "/own-key"
} as const
