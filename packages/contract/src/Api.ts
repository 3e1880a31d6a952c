/**
 * The whole HTTP contract.
 */
import { HttpApi, OpenApi } from "effect/http-api"
import { AccessReviewsGroup } from "./AccessReviewsGroup.ts"
import { ApiKeysGroup, WhoamiGroup } from "./ApiKeysGroup.ts"
import { AuditGroup } from "./AuditGroup.ts"
import { ClustersGroup } from "./ClustersGroup.ts"
import { CostGroup } from "./CostGroup.ts"
import { EventsGroup } from "./EventsGroup.ts"
import { HealthGroup } from "./HealthGroup.ts"
import { NamespacesGroup } from "./NamespacesGroup.ts"
import { OverviewGroup } from "./OverviewGroup.ts"
import { PodGroup } from "./PodGroup.ts"
import { PodsGroup } from "./PodsGroup.ts"
import { PricesGroup } from "./PricesGroup.ts"
import { describeSecurity } from "./SecuritySchemes.ts"
import { SessionGroup } from "./SessionGroup.ts"
import { WorkloadGroup } from "./WorkloadGroup.ts"
import { WorkloadsGroup } from "./WorkloadsGroup.ts"

const endpoints = HttpApi.make("quarterdeck").add(
  AccessReviewsGroup,
  ApiKeysGroup,
  AuditGroup,
  ClustersGroup,
  CostGroup,
  EventsGroup,
  HealthGroup,
  NamespacesGroup,
  OverviewGroup,
  PodGroup,
  PodsGroup,
  PricesGroup,
  SessionGroup,
  WhoamiGroup,
  WorkloadGroup,
  WorkloadsGroup
)

/**
 * The HTTP API of Quarterdeck.
 *
 * **Shape** unknown query parameters and unknown members of a body are refused. Undeclared headers are ignored.
 */
export class Api extends endpoints
  .annotate(HttpApi.QueryParseOptions, { onExcessProperty: "error" })
  .annotate(HttpApi.PayloadParseOptions, { onExcessProperty: "error" })
  .annotateMerge(
    OpenApi.annotations({
      title: "Quarterdeck",
      version: "1",
      description: "One address over many Kubernetes clusters: every request targets one, several or all of them.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
      transform: describeSecurity(endpoints)
    })
  ) {}
