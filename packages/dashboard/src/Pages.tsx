/**
 * Routes of the pages. The code of each page is loaded when it is first opened.
 */
import { Stack } from "@mantine/core"
import { type ReactNode, Suspense } from "react"
import { Navigate, Route, Routes, useLocation } from "react-router"
import { Loading } from "./feedback/PageState.tsx"
import { useTarget } from "./clusterScope/useTarget.ts"
import { lazyPart } from "./frame/lazyPart.ts"
import { PageBoundary } from "./frame/PageBoundary.tsx"
import { PLACES } from "./frame/places.ts"

/** Width in pixels above which lines of text and forms are hard to read. */
const READABLE = 1_200

const OverviewPage = lazyPart("OverviewPage", () => import("./overview/OverviewPage.tsx"))
const ClustersPage = lazyPart("ClustersPage", () => import("./clusters/ClustersPage.tsx"))
const ClusterPage = lazyPart("ClusterPage", () => import("./clusters/ClusterPage.tsx"))
const RegisterClusterPage = lazyPart("RegisterClusterPage", () => import("./clusters/RegisterClusterPage.tsx"))
const WorkloadsPage = lazyPart("WorkloadsPage", () => import("./workloads/WorkloadsPage.tsx"))
const WorkloadPage = lazyPart("WorkloadPage", () => import("./workloads/WorkloadPage.tsx"))
const PodsPage = lazyPart("PodsPage", () => import("./lists/PodsPage.tsx"))
const EventsPage = lazyPart("EventsPage", () => import("./lists/EventsPage.tsx"))
const NamespacesPage = lazyPart("NamespacesPage", () => import("./lists/NamespacesPage.tsx"))
const CostPage = lazyPart("CostPage", () => import("./cost/CostPage.tsx"))
const SavingsPage = lazyPart("SavingsPage", () => import("./cost/SavingsPage.tsx"))
const PricesPage = lazyPart("PricesPage", () => import("./prices/PricesPage.tsx"))
const ApiKeysPage = lazyPart("ApiKeysPage", () => import("./keys/ApiKeysPage.tsx"))
const CreateKeyPage = lazyPart("CreateKeyPage", () => import("./keys/CreateKeyPage.tsx"))
const ChangeKeyPage = lazyPart("ChangeKeyPage", () => import("./keys/ChangeKeyPage.tsx"))
const KeyPage = lazyPart("KeyPage", () => import("./keys/KeyPage.tsx"))
const AuditPage = lazyPart("AuditPage", () => import("./audit/AuditPage.tsx"))
const OwnKeyPage = lazyPart("OwnKeyPage", () => import("./keys/OwnKeyPage.tsx"))

const readable = (children: ReactNode) => (
  <Stack gap="md" maw={READABLE}>
    {children}
  </Stack>
)

export const Pages = () => {
  const { linkTo } = useTarget()
  const { pathname } = useLocation()
  return (
    // The key resets the boundary when the user opens another page.
    <PageBoundary key={pathname}>
      <Suspense fallback={<Loading what="the page" />}>
        <Routes>
          <Route path={PLACES.overview} element={<OverviewPage />} />
          <Route path={PLACES.clusters} element={<ClustersPage />} />
          <Route path={`${PLACES.clusters}/:cluster`} element={<ClusterPage />} />
          <Route path={PLACES.registerCluster} element={readable(<RegisterClusterPage />)} />
          <Route path={PLACES.workloads} element={<WorkloadsPage />} />
          <Route path={`${PLACES.workloads}/:cluster/:namespace/:kind/:name`} element={<WorkloadPage />} />
          <Route path={PLACES.pods} element={<PodsPage />} />
          <Route path={PLACES.events} element={<EventsPage />} />
          <Route path={PLACES.namespaces} element={<NamespacesPage />} />
          <Route path={PLACES.cost} element={<CostPage />} />
          <Route path={PLACES.savings} element={<SavingsPage />} />
          <Route path={PLACES.apiKeys} element={readable(<ApiKeysPage />)} />
          <Route path={PLACES.createKey} element={readable(<CreateKeyPage />)} />
          <Route path={`${PLACES.apiKeys}/:id`} element={readable(<KeyPage />)} />
          <Route path={`${PLACES.apiKeys}/:id/change`} element={readable(<ChangeKeyPage />)} />
          <Route path={PLACES.audit} element={<AuditPage />} />
          <Route path={PLACES.prices} element={readable(<PricesPage />)} />
          <Route path={PLACES.ownKey} element={readable(<OwnKeyPage />)} />
          <Route path="*" element={<Navigate to={linkTo(PLACES.overview)} replace />} />
        </Routes>
      </Suspense>
    </PageBoundary>
  )
}
