import { Result } from "effect"
import type { ResourceCall } from "../core/ApiRequest.ts"
import type { Kernel } from "../core/Kernel.ts"
import type { Resource } from "../core/Resource.ts"
import { notFound, type Outcome } from "../core/Status.ts"
import { keyOf, type Stored } from "../core/Stored.ts"

/** The object that a request addresses. */
export interface Address {
  readonly resource: Resource
  readonly namespace: string
  readonly name: string
}

export const addressOf = ({ info, resource }: ResourceCall): Address => ({
  resource,
  namespace: resource.namespaced ? info.namespace : "",
  name: info.name
})

export const find = (kernel: Kernel, { resource, namespace, name }: Address): Outcome<Stored> => {
  const stored = kernel.store.get(resource, keyOf(namespace, name))
  return stored === undefined ? Result.fail(notFound(resource, name)) : Result.succeed(stored)
}
