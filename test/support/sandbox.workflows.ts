/** Workflows that strain the sandbox. Timers of workflows are durable. */
const shared = globalThis as Record<string, unknown>
let ofModule = 'clean'

/** Leaves something wherever code can, waits while others run, and tells what it then finds. */
export async function leaver(): Promise<unknown[]> {
  shared.left = 'a secret'
  shared[Symbol.for('left') as never] = 'a secret'
  ofModule = 'a secret'
  await pause(1_500)
  return [shared.left, shared[Symbol.for('left') as never], ofModule]
}

/** Tells what others have left. */
export async function looker(): Promise<unknown[]> {
  return [shared.left, shared[Symbol.for('left') as never], ofModule].map((left) => left ?? null)
}

/** Tries to replace what all workflows use. @returns what the names then stand for */
export async function vandal(): Promise<unknown[]> {
  for (const attempt of [
    () => Object.assign(shared, { setTimeout: () => 'mine' }),
    () => Reflect.deleteProperty(globalThis, 'Array'),
    () => Object.assign(JSON, { parse: () => 'mine' }),
  ]) {
    try {
      attempt()
    } catch {} // frozen
  }
  return [String(setTimeout).includes('mine'), typeof Array, JSON.parse('1')]
}

/** @returns how often it paused */
export async function waiter(pauses: number): Promise<number> {
  let paused = 0
  for (; paused < pauses; paused += 1) await pause(500)
  return paused
}

/** Never gives way. */
export async function looper(): Promise<void> {
  for (;;) ofModule = 'busy'
}

/** Never gives way either: its microtasks never end. */
export async function spinner(): Promise<void> {
  for (;;) await null
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
