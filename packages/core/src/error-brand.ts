/**
 * Lets `instanceof` tell an error by a brand. Two versions of our packages may be loaded in one process, one
 * of them below an extension, and each has its own classes. A static block of the class calls this. A
 * subclass without a brand of its own is told by its class.
 * @param name one class has it
 */
export function brandError(errorClass: { readonly prototype: Error }, name: string): void {
  const brand = Symbol.for(`treeos.${name}`)
  Object.defineProperty(errorClass.prototype, brand, { value: true })
  Object.defineProperty(errorClass, Symbol.hasInstance, {
    value(this: unknown, value: unknown): boolean {
      if (this !== errorClass) return Function.prototype[Symbol.hasInstance].call(this as () => void, value)
      return typeof value === 'object' && value !== null && brand in value
    },
  })
}
