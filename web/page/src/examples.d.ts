// Files of examples/, whose text the bundle has.

declare module "*.conll" {
  const text: string;
  export default text;
}
