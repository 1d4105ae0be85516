//! The largest total of a one-to-one choice in a table of similarities, computed by trying all and by the dense method
//! of Kuhn and Munkres.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Zero};

use super::Fraction;

/// The largest number of rows and columns for which all choices are tried.
const FEW: usize = 6;

/// Returns the largest total of a one-to-one choice of rows and columns.
pub fn best(table: &[Vec<Fraction>]) -> Fraction {
    let columns = table.first().map_or(0, Vec::len);
    if table.len() <= FEW && columns <= FEW {
        best_by_permutations(table)
    } else {
        best_by_kuhn_munkres(table)
    }
}

/// Tries every way of giving each row a different column, or none.
pub fn best_by_permutations(table: &[Vec<Fraction>]) -> Fraction {
    let (square, scale) = squared(table);
    let mut free: Vec<usize> = (0..square.len()).collect();
    Fraction::new(best_of_rest(&square, 0, &mut free), scale)
}

fn best_of_rest(square: &[Vec<BigInt>], row: usize, free: &mut Vec<usize>) -> BigInt {
    let mut best = BigInt::zero();
    for place in 0..free.len() {
        let column = free.remove(place);
        let total = &square[row][column] + best_of_rest(square, row + 1, free);
        free.insert(place, column);
        best = best.max(total);
    }
    best
}

/// The algorithm of Kuhn and Munkres. The sum of the labels of a row and a column is never below the weight of their
/// pair. An alternating tree grows from each row along the pairs whose sum equals the weight. If no such pair leaves
/// the tree, the labels are adjusted by the least slack.
pub fn best_by_kuhn_munkres(table: &[Vec<Fraction>]) -> Fraction {
    let (weights, scale) = squared(table);
    let size = weights.len();
    let mut row_labels: Vec<BigInt> =
        weights.iter().map(|row| row.iter().max().cloned().unwrap_or_default()).collect();
    let mut column_labels = vec![BigInt::zero(); size];
    let mut row_of_column: Vec<Option<usize>> = vec![None; size];
    for root in 0..size {
        let mut rows_in_tree = vec![root];
        // For each column in the tree, the row that it was reached from.
        let mut reached_from: Vec<Option<usize>> = vec![None; size];
        let last = loop {
            let leaving = rows_in_tree
                .iter()
                .flat_map(|&row| (0..size).map(move |column| (row, column)))
                .filter(|&(_, column)| reached_from[column].is_none());
            let slack =
                |row: usize, column: usize| &row_labels[row] + &column_labels[column] - &weights[row][column];
            let (least, row, column) = leaving
                .map(|(row, column)| (slack(row, column), row, column))
                .min()
                .expect("a free column is left for each row");
            for &row in &rows_in_tree {
                row_labels[row] -= &least;
            }
            for column in 0..size {
                if reached_from[column].is_some() {
                    column_labels[column] += &least;
                }
            }
            reached_from[column] = Some(row);
            match row_of_column[column] {
                Some(next) => rows_in_tree.push(next),
                None => break column,
            }
        };
        // Along the path back to the root, each row gets the column that was reached from it, and its old column is
        // assigned to the previous row.
        let mut column = last;
        loop {
            let row = reached_from[column].expect("columns of the path are in the tree");
            let old = row_of_column.iter().position(|&holder| holder == Some(row));
            row_of_column[column] = Some(row);
            match old {
                Some(old) => column = old,
                None => break,
            }
        }
    }
    let total = row_of_column.iter().enumerate().map(|(column, row)| match row {
        Some(row) => &weights[*row][column],
        None => unreachable!("every column of a square table has a row"),
    });
    Fraction::new(total.sum(), scale)
}

/// Makes the table square with zeros, and multiplies its weights by a common denominator. Also returns the denominator.
fn squared(table: &[Vec<Fraction>]) -> (Vec<Vec<BigInt>>, BigInt) {
    let size = table.len().max(table.first().map_or(0, Vec::len));
    let scale = table.iter().flatten().fold(BigInt::one(), |scale, weight| scale.lcm(weight.denom()));
    let mut square = vec![vec![BigInt::zero(); size]; size];
    for (row, weights) in table.iter().enumerate() {
        for (column, weight) in weights.iter().enumerate() {
            square[row][column] = (weight * &scale).to_integer();
        }
    }
    (square, scale)
}
