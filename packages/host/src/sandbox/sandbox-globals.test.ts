import vm from 'node:vm'
import { beforeEach, describe, expect, it } from 'vitest'
import { GlobalsOfRun, SandboxGlobals } from './sandbox-globals.ts'

describe('globals of a context that workflows share', () => {
  let context: vm.Context
  let globals: SandboxGlobals
  const [a, b] = [new GlobalsOfRun(), new GlobalsOfRun()]
  const asRun = (run: GlobalsOfRun, code: string): unknown => {
    globals.give(run)
    return vm.runInContext(code, context)
  }
  beforeEach(() => {
    context = vm.createContext(
      { shared: Object.freeze({ is: 'shared' }) },
      { microtaskMode: 'afterEvaluate' },
    )
    vm.runInContext('globalThis.Date = function () { return 7 }', context) // as the SDK replaces it
    globals = new SandboxGlobals(context)
    Object.assign(a, new GlobalsOfRun())
    Object.assign(b, new GlobalsOfRun())
  })

  it.each([
    ['a property', 'globalThis.left = 1', 'typeof globalThis.left'],
    ['a symbol', 'globalThis[Symbol.for("left")] = 1', 'typeof globalThis[Symbol.for("left")]'],
    ['a number', 'globalThis[7] = 1', 'typeof globalThis[7]'],
    [
      'a defined property',
      'Object.defineProperty(globalThis, "left", { get: () => 1, configurable: true })',
      'typeof left',
    ],
    ['a variable of eval', '(0, eval)("var left = 1")', 'typeof left'],
    ['a function of eval', '(0, eval)("function left() {}")', 'typeof left'],
    ['its activator', '__TEMPORAL_ACTIVATOR__ = 1', 'typeof __TEMPORAL_ACTIVATOR__'],
  ])('%s that a workflow leaves is there for itself only', (_what, leave, look) => {
    asRun(a, leave)
    expect(asRun(b, look)).toBe('undefined')
    expect(asRun(a, look)).not.toBe('undefined')
    expect(asRun(b, look)).toBe('undefined')
  })

  it('a workflow sees what it deletes and changes of its own', () => {
    asRun(a, 'globalThis.kept = 1; globalThis.dropped = 1')
    asRun(b, 'globalThis.kept = 5')
    asRun(a, 'kept += 1; delete globalThis.dropped')
    asRun(b, '0')
    expect(asRun(a, '[kept, typeof dropped].join()')).toBe('2,undefined')
    expect(asRun(b, '[kept, typeof dropped].join()')).toBe('5,undefined')
  })

  it.each(['Array', 'Date', 'shared', 'globalThis', 'JSON'])('no workflow replaces or deletes %s', (name) => {
    const before = asRun(b, name)
    for (const attack of [
      `globalThis.${name} = 5`,
      `${name} = 5`,
      `delete globalThis.${name}`,
      `Object.defineProperty(globalThis, "${name}", { value: 5, configurable: true })`,
      `(0, eval)("var ${name} = 5")`,
    ]) {
      try {
        asRun(a, attack)
      } catch {}
      expect(asRun(b, name)).toBe(before)
    }
  })

  it('what is shared keeps its place in the list of globals', () => {
    const plain = vm.createContext({}, { microtaskMode: 'afterEvaluate' })
    const list = 'Object.getOwnPropertyNames(globalThis).join()'
    expect(String(asRun(a, list)).split(',')).toEqual(
      expect.arrayContaining(String(vm.runInContext(list, plain)).split(',')),
    )
  })
})
