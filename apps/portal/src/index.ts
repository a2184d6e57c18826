/** The web page of a reality, and who may sign in there. */

export { makeAnswerLink } from './accounts/answer-links.ts'
export { hasAccount, LINK_HOURS_MAX, makeLink, OWN_LINK_MINUTES } from './accounts/links.ts'
export { describePeople, type PersonView, removeAccount, revokeLink } from './accounts/people.ts'
export { isLoopbackUrl, Provider, type ProviderSettings } from './accounts/provider.ts'
export { HOOKS_PATH } from './api/outlets.ts'
export { buildPage, PAGE_FOLDER } from './build-page.ts'
export { addressOfHost } from './edge/names.ts'
export {
  addHook,
  type HookDoes,
  type HookView,
  listHooks,
  removeHook,
} from './hooks/hooks.ts'
export { type ServedPortal, type ServeOptions, servePortal } from './http.ts'
export type {
  Disagreement,
  HealthCheck,
  KeptToolServer,
  Machine,
  MachineHealth,
  RecordAccepted,
  ReplayAsked,
  ReplayComparison,
  ServiceHealth,
  SignedCheckpointNote,
  ToolServerCheck,
  ToolServerView,
} from './machine.ts'
export type { CourierOptions } from './outlets/courier.ts'
export {
  addOutlet,
  confirmOutlet,
  listOutlets,
  type OutletPlace,
  type OutletSubject,
  type OutletView,
  removeOutlet,
  retryOutlet,
  WANTS,
} from './outlets/outlets.ts'
export type { Portal } from './portal.ts'
export { describeApi, listRoutes, type Route } from './route-list.ts'
export { migratePortal } from './store/migrate.ts'
export { type PortalDb, portalOf } from './store/schema.ts'
