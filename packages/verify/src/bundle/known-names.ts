import type { Registry } from '@treeos/world'

type Known = Registry['known']

/**
 * What extensions define by name, where their manifests are not there: every name that may be one of theirs counts as known.
 * @param onAsked is called when an operation asks for one
 */
export function anyNames(own: Known, onAsked: () => void): Known {
  const types = (known: Readonly<Record<string, string>>) =>
    new Proxy(known, {
      getOwnPropertyDescriptor(target, name) {
        const found = Reflect.getOwnPropertyDescriptor(target, name)
        if (found !== undefined || typeof name === 'symbol' || !name.includes(':')) return found
        onAsked()
        return { value: '', writable: false, enumerable: true, configurable: true }
      },
    })
  const presets = <T>(known: Readonly<Record<string, T>>) =>
    new Proxy(known, {
      get(target, name) {
        onAsked()
        return Reflect.get(target, name)
      },
      getOwnPropertyDescriptor(target, name) {
        onAsked()
        return Reflect.getOwnPropertyDescriptor(target, name)
      },
    })
  class Names extends Array<string> {
    override includes(name: string): boolean {
      if (super.includes(name)) return true
      onAsked()
      return name.includes(':')
    }
  }
  return {
    ...own,
    spaceTypes: types(own.spaceTypes),
    matterTypes: types(own.matterTypes),
    schedules: presets(own.schedules),
    hooks: presets(own.hooks),
    scripts: Names.from(own.scripts) as Names,
  }
}
