/** Returns the name at the end of a `$ref`: `Erro` for `#/components/schemas/Erro`. */
export const refName = ($ref: string): string => $ref.slice($ref.lastIndexOf('/') + 1);
