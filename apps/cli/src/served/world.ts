import type {
  BeingView,
  BudgetView,
  NamespaceView,
  OperationView,
  OverlayView,
  RoleVersion,
  RoleView,
  TokenView,
} from '@treeos/client'
import type { Treeos } from '@treeos/client-http'
import { type BeingName, type Json, type JsonObject, type RoleName, readPath, stanceOf } from '@treeos/core'
import type { Lint } from '@treeos/roles'
import type { OverlayChange } from '@treeos/store'
import type { Descriptor } from '@treeos/world'
import { requireLivingBeing, withReality, withRegistry, withServices } from '../instance/with-instance.ts'
import { answered, listed, type Service } from './serve.ts'

export const SEE: Service<{ readonly as: BeingName; readonly address: string }, Descriptor> = {
  record: (options, { as, address }) => withRegistry(options, (at, { see }) => see(at, as, address)),
  api: (treeos, { address }) => answered(treeos.api.GET('/see', { params: { query: { address } } })),
}

const beingsBy = (treeos: Treeos, role?: string): Promise<BeingView[]> =>
  listed((query) =>
    treeos.api.GET('/beings', { params: { query: { ...query, ...(role === undefined ? {} : { role }) } } }),
  )

export const BEINGS: Service<{ readonly role?: string | undefined }, readonly BeingView[]> = {
  record: (options, { role }) =>
    role === undefined
      ? withReality(options, ({ db }, { beings }) => beings(db))
      : withRegistry(options, ({ db, registry }, { beings, hasRole }) => beings(db, hasRole(registry, role))),
  api: (treeos, { role }) => beingsBy(treeos, role),
}

export const OPERATIONS: Service<object, readonly OperationView[]> = {
  record: (options) =>
    withRegistry(options, async ({ registry }, { listOperations }) => listOperations(registry)),
  api: (treeos) => answered(treeos.api.GET('/operations')),
}

interface BudgetsAsked {
  /** left out: of all, or by the API of oneself */
  readonly being?: BeingName | undefined
  readonly children: boolean
  readonly me: BeingName
}

const budgetBy = (treeos: Treeos, name: BeingName): Promise<BudgetView> =>
  answered(treeos.api.GET('/beings/{name}/budget', { params: { path: { name } } }))

export const BUDGETS: Service<BudgetsAsked, BudgetView | readonly BudgetView[]> = {
  record: (options, { being, children, me }) =>
    withReality(options, async (at, { budget, budgets, budgetsOfChildren }) => {
      if (children) return budgetsOfChildren(at, being ?? me)
      return being === undefined ? budgets(at) : budget(at, being)
    }),
  api: async (treeos, { being, children, me }) => {
    const own = being === undefined || being === me
    const view = own ? await answered<BudgetView>(treeos.api.GET('/use')) : await budgetBy(treeos, being)
    if (!children) return being === undefined ? [view] : view
    const parent = stanceOf(being ?? me)
    const views = [view]
    for (const child of await beingsBy(treeos))
      if (child.parent === parent) views.push(await budgetBy(treeos, child.being))
    return views
  },
}

interface SignalsTold {
  readonly namespaces: readonly NamespaceView[]
  readonly values: Json
}
const signalsBy = (treeos: Treeos): Promise<SignalsTold> => answered(treeos.api.GET('/signals'))

export const SIGNALS: Service<{ readonly keys: readonly string[] }, Json> = {
  record: (options, { keys }) => withReality(options, ({ db }, { readSignals }) => readSignals(db, keys)),
  api: async (treeos, { keys }) => readPath((await signalsBy(treeos)).values, keys) ?? null,
}

export const NAMESPACES: Service<{ readonly namespace: string | null }, readonly NamespaceView[]> = {
  record: (options, { namespace }) =>
    withRegistry(options, (at, { namespaces }) => namespaces(at, namespace)),
  api: async (treeos, { namespace }) => {
    const { namespaces } = await signalsBy(treeos)
    if (namespace === null) return namespaces
    const found = namespaces.filter((one) => one.namespace === namespace)
    return found.length > 0 ? found : [{ namespace, owner: null, publishers: [], reserved: false }]
  },
}

export const ROLES: Service<object, readonly RoleView[]> = {
  record: async (options) => {
    const { rolesNamed } = await import('@treeos/world')
    return withReality(options, ({ db }, { roles }) => roles(db, rolesNamed))
  },
  api: (treeos) => answered(treeos.api.GET('/role-texts')),
}

export const ROLE_VERSIONS: Service<
  { readonly as: BeingName; readonly name: RoleName },
  readonly RoleVersion[]
> = {
  record: async (options, { as, name }) =>
    (await withRegistry(options, (at, { inspectRole }) => inspectRole(at, as, name))).versions,
  api: async (treeos, { name: role }) =>
    (
      await answered<{ versions: RoleVersion[] }>(
        treeos.api.GET('/roles/{role}', { params: { path: { role } } }),
      )
    ).versions,
}

export const CHECK_ROLE: Service<{ readonly role: unknown }, Lint> = {
  record: async (options, { role }) => {
    const { checkRole } = await import('@treeos/client/records')
    const { loadedRegistry } = await import('../instance/connection.ts')
    return checkRole(await loadedRegistry(options), role)
  },
  api: (treeos, { role }) =>
    answered(treeos.api.POST('/roles/check', { body: { role: role as JsonObject } })),
}

/** The clauses of a being. */
export const FLOW: Service<{ readonly being: BeingName }, Json> = {
  record: async (options, { being }) => {
    const { qualities } = await withReality(options, (at) => requireLivingBeing(at, being))
    return qualities.roleFlow ?? []
  },
  api: async (treeos, { being: name }) =>
    (await answered<{ flow: Json }>(treeos.api.GET('/beings/{name}/flow', { params: { path: { name } } })))
      .flow,
}

interface PersonRequest {
  readonly as: BeingName
}
interface OverlayAsked extends PersonRequest {
  readonly tier: string
  readonly name: string
  readonly channel: string | undefined
}
interface OverlayText {
  readonly content: string
  readonly appliesTo?: string[]
}

const keyOf = ({ tier, name, channel }: OverlayAsked) => ({
  tier,
  name,
  ...(channel === undefined ? {} : { channel }),
})

export const OVERLAYS: Service<PersonRequest, readonly OverlayView[]> = {
  record: (options, { as }) => withReality(options, (at, { overlays }) => overlays(at, as)),
  api: (treeos) => answered(treeos.api.GET('/overlays')),
}

export const SET_OVERLAY: Service<OverlayAsked & { readonly overlay: OverlayText }, OverlayView> = {
  record: (options, { overlay, ...request }) =>
    withReality(options, (at, { setOverlay }) => setOverlay(at, request, overlay)),
  api: (treeos, { overlay, ...request }) =>
    answered(treeos.api.POST('/overlays', { body: { ...keyOf(request), ...overlay } })),
}

export const DELETE_OVERLAY: Service<OverlayAsked, { readonly tier: string; readonly name: string }> = {
  record: (options, request) => withReality(options, (at, { deleteOverlay }) => deleteOverlay(at, request)),
  api: (treeos, request) => answered(treeos.api.POST('/overlays/delete', { body: keyOf(request) })),
}

export const THREAD_OVERLAYS: Service<{ readonly thread: string }, readonly OverlayChange[]> = {
  record: (options, { thread }) =>
    withReality(options, (at, { threadOverlays }) => threadOverlays(at, thread)),
  api: (treeos, { thread: id }) =>
    answered(treeos.api.GET('/threads/{id}/overlay', { params: { path: { id } } })),
}

export const SET_THREAD_OVERLAY: Service<
  PersonRequest & { readonly thread: string; readonly content: string | null },
  OverlayChange
> = {
  record: (options, { as, thread, content }) =>
    withServices(options, (at, { setThreadOverlay }) =>
      setThreadOverlay(at, { as, thread, overlay: content === null ? null : { content } }),
    ),
  api: (treeos, { thread: id, content }) =>
    answered(treeos.api.POST('/threads/{id}/overlay', { params: { path: { id } }, body: { content } })),
}

/** Access tokens that one may revoke, the oldest first. */
export const TOKENS: Service<PersonRequest, readonly TokenView[]> = {
  record: (options, { as }) => withReality(options, (at, { listTokens }) => listTokens(at, as)),
  api: async (treeos) =>
    (await listed<TokenView>((query) => treeos.api.GET('/tokens', { params: { query } }))).reverse(),
}

export const REVOKE_TOKEN: Service<PersonRequest & { readonly id: string }, TokenView> = {
  record: (options, { id, as }) => withReality(options, (at, { revokeToken }) => revokeToken(at, { id, as })),
  api: (treeos, { id }) => answered(treeos.api.POST('/tokens/revoke', { body: { id } })),
}
