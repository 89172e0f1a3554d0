// The validator for answers to forms.
// This server sends no forms, and the validators of the package would bring 22 or 150 KB. Bundles replace the default
// with this one (`lib/shared/function-aliases.ts`).
export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error('This server sends no forms, so it can check no answers to them.');
  }
}
