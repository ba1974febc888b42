"""Operations that a message names plainly, whatever else it may mean."""
