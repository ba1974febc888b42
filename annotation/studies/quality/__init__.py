"""What tells careful work from careless: figures of each answer and each worker, and the rules of a study about them."""
