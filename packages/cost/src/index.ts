/**
 * What Kubernetes workloads cost: prices, closed hours and their sums, recommendations and savings.
 *
 * A closed {@link Hour} holds what every {@link Series} used and cost; {@link CostStore} keeps hours and sums any window
 * of them. {@link PriceBook} says what machines cost at an instant, {@link Reprice} puts that into an hour, and
 * {@link Recommender} learns from hours what workloads should ask for, which {@link Savings} turns into money.
 *
 * @since 0.1.0
 */
export * as CostError from "./CostError.ts"
export * as CostStore from "./CostStore.ts"
export * as DecayingHistogram from "./DecayingHistogram.ts"
export * as DefaultPrices from "./DefaultPrices.ts"
export * as Hour from "./Hour.ts"
export * as HourFacts from "./HourFacts.ts"
export * as HourUsage from "./HourUsage.ts"
export * as Instant from "./Instant.ts"
export * as Measure from "./Measure.ts"
export * as NodePrice from "./NodePrice.ts"
export * as PriceBook from "./PriceBook.ts"
export * as PriceError from "./PriceError.ts"
export * as PriceHistory from "./PriceHistory.ts"
export * as Prices from "./Prices.ts"
export * as Range from "./Range.ts"
export * as RateClass from "./RateClass.ts"
export * as Recommendation from "./Recommendation.ts"
export * as RecommendationStore from "./RecommendationStore.ts"
export * as Recommender from "./Recommender.ts"
export * as Reprice from "./Reprice.ts"
export * as Savings from "./Savings.ts"
export * as Series from "./Series.ts"
export * as Units from "./Units.ts"
export * as UsageError from "./UsageError.ts"
export * as UsageSource from "./UsageSource.ts"
export * as Window from "./Window.ts"
