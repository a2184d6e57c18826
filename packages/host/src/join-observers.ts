import { noopObserver, type Observer } from '@treeos/activities'

type Call = (...args: readonly unknown[]) => void

/** Tells each of several observers, in their order, whatever it has an ear for. */
export function joinObservers(...observers: readonly Partial<Observer>[]): Observer {
  const joined = (name: keyof Observer): [string, Call] => [
    name,
    (...args) => {
      for (const observer of observers) (observer[name] as Call | undefined)?.apply(observer, [...args])
    },
  ]
  const names = Object.keys(noopObserver) as (keyof Observer)[]
  return Object.fromEntries(names.map(joined)) as unknown as Observer
}
