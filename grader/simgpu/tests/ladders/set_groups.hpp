/// @file
/// The groups of classes of the sets from the twelfth on, each in the file of its name, and how they are run. A set's header reads this inside
/// its namespace: hence no guard.

void streams(Set& s);
void places(Set& s);
void products(Set& s);
void stencils(Set& s);
void sums(Set& s);
void sparse(Set& s);
void images(Set& s);
void tables(Set& s);
void loops(Set& s);
void blocks(Set& s);
void calls(Set& s);
void library_calls(Set& s);

/// @return what the program ends with: 1 if a kernel was wrong.
inline int run_groups(Set& s) {
  for (const auto run_class : {streams, places, products, stencils, sums, sparse, images, tables, loops,
                               blocks, calls, library_calls})
    run_class(s);
  return s.bench.wrong() == 0 ? 0 : 1;
}
