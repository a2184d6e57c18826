/** What this tab drives. */
export interface DrivenBeing {
  /** the secret of this tab */
  readonly handle: string
  readonly being: string
  readonly driver: string
  /** the tab that opened it ends this when it is closed */
  readonly hasParent: boolean
  /** why it is over; null while it lasts */
  readonly over: string | null
  /**
   * the name of the tab that took the lease: a tab that is opened from it gets a copy of its storage, and no
   * name
   */
  readonly tab: string
}

const TAB_KEY = 'treeos-tab'

let tabListeners: (() => void)[] = []
let value = storedTab()

function storedTab(): DrivenBeing | null {
  const stored = sessionStorage.getItem(TAB_KEY)
  return stored === null ? null : (JSON.parse(stored) as DrivenBeing)
}

export const driven = (): DrivenBeing | null => value

/** The secret that requests of this tab bring; null where the person acts as itself. */
export const tabHandle = (): string | null => (value === null || value.over !== null ? null : value.handle)

/** Whether this tab took the lease, and so renews and ends it. */
export const isHolder = (): boolean => tabHandle() !== null && value?.tab === window.name

/** This tab has taken a lease. */
export function beginDriven(taken: Omit<DrivenBeing, 'over' | 'tab'>): void {
  window.name = `treeos-${crypto.getRandomValues(new Uint32Array(2)).join('')}`
  keep({ ...taken, over: null, tab: window.name })
}

/** From now on nothing is done in this tab until its person says as whom. */
export function endDriven(why: string): void {
  if (value !== null && value.over === null) keep({ ...value, over: why })
}

export const forgetDriven = (): void => keep(null)

function keep(next: DrivenBeing | null): void {
  if (next === null) sessionStorage.removeItem(TAB_KEY)
  else sessionStorage.setItem(TAB_KEY, JSON.stringify(next))
  value = next
  for (const listener of tabListeners) listener()
}

/** @returns ends it */
export function onDrivenChange(listener: () => void): () => void {
  tabListeners.push(listener)
  return () => {
    tabListeners = tabListeners.filter((one) => one !== listener)
  }
}
