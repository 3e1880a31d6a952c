/**
 * API keys: rules, storage, issuing, authentication, sessions and the audit.
 *
 * A key has a {@link Rule}. Its secret ({@link RawKey}) is shown once and stored as a {@link KeyHash}, in a
 * {@link KeyStore} or in the deployment's configuration ({@link KeyConfig}). The {@link Authenticator} turns a
 * {@link Credential} into a {@link Principal}. {@link Access} decides what the role of a principal allows. The
 * {@link KeyIssuer} creates, lists, changes and revokes keys within the caller's own rule. {@link AuditLog} records
 * decisions.
 */
export * as Access from "./Access.ts"
export * as AllowFrom from "./AllowFrom.ts"
export * as ApiKey from "./ApiKey.ts"
export * as AuditExporter from "./audit/AuditExporter.ts"
export * as AuditKey from "./audit/AuditKey.ts"
export * as AuditLog from "./audit/AuditLog.ts"
export * as AuditStore from "./audit/AuditStore.ts"
export * as AuditVerifier from "./audit/AuditVerifier.ts"
export * as AuditEvent from "./AuditEvent.ts"
export * as Authenticator from "./Authenticator.ts"
export * as Bootstrap from "./Bootstrap.ts"
export * as Credential from "./Credential.ts"
export { DiskReserve } from "@quarterdeck/sqlite-thread"
export * as Expiry from "./Expiry.ts"
export * as IdempotencyStore from "./IdempotencyStore.ts"
export * as KeyConfig from "./KeyConfig.ts"
export * as KeyEpoch from "./KeyEpoch.ts"
export * as KeyError from "./KeyError.ts"
export * as KeyHash from "./KeyHash.ts"
export * as KeyIssuer from "./KeyIssuer.ts"
export * as KeysFile from "./KeysFile.ts"
export * as KeyStore from "./KeyStore.ts"
export * as KnownKeys from "./KnownKeys.ts"
export * as Person from "./Person.ts"
export * as KeyStoreLaws from "./KeyStoreLaws.ts"
export * as Principal from "./Principal.ts"
export * as RawKey from "./RawKey.ts"
export * as RegisteredClusterStore from "./RegisteredClusterStore.ts"
export * as Rule from "./Rule.ts"
export * as RuleContainment from "./RuleContainment.ts"
export * as Sealed from "./Sealed.ts"
export * as SecretFileAccess from "./SecretFileAccess.ts"
export * as IdentityProvider from "./session/IdentityProvider.ts"
export * as SessionId from "./session/SessionId.ts"
export * as Sessions from "./session/Sessions.ts"
export * as SessionStore from "./session/SessionStore.ts"
export * as Cached from "./store/Cached.ts"
export * as Memory from "./store/Memory.ts"
export * as Sqlite from "./store/sqlite/Sqlite.ts"
